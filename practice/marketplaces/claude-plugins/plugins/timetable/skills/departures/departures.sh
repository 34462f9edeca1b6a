#!/bin/sh
echo "files that speak of departures: $(git grep -il departures | wc -l)"
