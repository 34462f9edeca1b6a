// The variables by which development servers accept preview hosts.
import { expect, test } from "vitest";
import { getAllowedHostVariables } from "../../../src/preview/rules/allowed-hosts.ts";

test("the known development servers get the domain of previews, without its port", () => {
  const told = {
    __VITE_ADDITIONAL_SERVER_ALLOWED_HOSTS: ".preview.example.com",
    RAILS_DEVELOPMENT_HOSTS: ".preview.example.com",
    ALLOWED_HOSTS: ".preview.example.com",
    DJANGO_ALLOWED_HOSTS: ".preview.example.com",
    NG_ALLOWED_HOSTS: "*.preview.example.com",
    DANGEROUSLY_DISABLE_HOST_CHECK: "true",
  };
  expect(getAllowedHostVariables("preview.example.com")).toEqual(told);
  expect(getAllowedHostVariables("preview.example.com:8443")).toEqual(told);
});

test("on a developer's own machine their checks stay as they are", () => {
  expect(getAllowedHostVariables("preview.localhost:8787")).toEqual({});
});
