#!/bin/sh
git ls-files | xargs cat | wc -l
