// The Official Marketplaces as last read, the plugins that they name, and which of them each user
// has enabled.
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { type EntryParts, type PluginCallable, type PluginComponents, pluginProviders } from "./rules/plugin.ts";

export const marketplaces = sqliteTable("marketplaces", {
  /** The provider, repository and ref from the settings. */
  key: text().primaryKey(),
  provider: text({ enum: pluginProviders }).notNull(),
  repository: text().notNull(),
  ref: text(),
  /** The commit of the manifest that names the plugins; null before the first reading. */
  readCommit: text(),
  /** When it is read again. */
  dueAt: integer().notNull(),
  /** The end of one Worker's exclusive lease to read it. */
  leasedUntil: integer().notNull().default(0),
});

export const plugins = sqliteTable(
  "plugins",
  {
    /** `<plugin>@<marketplace>`. */
    id: text().primaryKey(),
    marketplaceKey: text().notNull(),
    provider: text({ enum: pluginProviders }).notNull(),
    name: text().notNull(),
    marketplace: text().notNull(),
    description: text(),
    category: text(),
    author: text(),
    version: text(),
    /** Its place in the marketplace. */
    place: integer().notNull(),
    /** `owner/name`; null if the plugin is not offered, regardless of its files. */
    sourceRepository: text(),
    sourcePath: text().notNull(),
    sourceRef: text(),
    sourceSha: text(),
    /** What the marketplace entry says about its parts. */
    entryParts: text({ mode: "json" }).$type<EntryParts>(),
    /** The commit that its files are from; null before the first reading. */
    readCommit: text(),
    components: text({ mode: "json" }).$type<PluginComponents>(),
    callables: text({ mode: "json" }).$type<PluginCallable[]>(),
    hash: text(),
    /** The R2 key of its files; null if it is not offered. */
    bodyKey: text(),
    /** Why it is not offered; null if it is offered or was not read yet. */
    refusal: text(),
    /** When its files are read again; null for never, because a commit does not change. */
    dueAt: integer(),
    leasedUntil: integer().notNull().default(0),
  },
  (plugin) => [
    index("plugins_by_marketplace").on(plugin.marketplaceKey, plugin.place),
    index("plugins_by_due").on(plugin.dueAt),
    index("plugins_by_body").on(plugin.bodyKey),
  ],
);

/** The plugins that users have enabled, with the last error when a sandbox installed one. */
export const pluginChoices = sqliteTable(
  "plugin_choices",
  {
    userId: text().notNull(),
    pluginId: text().notNull(),
    enabledAt: integer().notNull(),
    failureMessage: text(),
    failedAt: integer(),
    failureWorkspaceId: text(),
    failureSessionId: text(),
  },
  (choice) => [primaryKey({ columns: [choice.userId, choice.pluginId] })],
);
