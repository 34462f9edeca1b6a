// Every D1 table, for the migration generator.

export * from "../../account/tables.ts";
export * from "../../activity/tables.ts";
export * from "../../artifact/tables.ts";
export * from "../../cron/tables.ts";
export * from "../../deletion/tables.ts";
export * from "../../key/tables.ts";
export * from "../../notification/tables.ts";
export * from "../../operator/tables.ts";
export * from "../../plugin/tables.ts";
export * from "../../project/tables.ts";
export * from "../../provider-login/tables.ts";
export * from "../../provider-login/tables.ts";
export * from "../../sandbox/tables.ts";
export * from "../../session/tables.ts";
export * from "../../skill/tables.ts";
export * from "../../sweeps/tables.ts";
export * from "../../usage/tables.ts";
