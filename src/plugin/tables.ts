// The Official Marketplaces as they were last read, the plugins that they name, and who has which
// of them on.
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { type EntryParts, type PluginCallable, type PluginComponents, pluginProviders } from "./rules/plugin.ts";

export const marketplaces = sqliteTable("marketplaces", {
  /** Provider, repository and ref of the settings. */
  key: text().primaryKey(),
  provider: text({ enum: pluginProviders }).notNull(),
  repository: text().notNull(),
  ref: text(),
  /** The commit whose manifest the plugins are from; null before the first reading. */
  readCommit: text(),
  /** When it is to be read again. */
  dueAt: integer().notNull(),
  /** Until when one Worker reads it alone. */
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
    /** `owner/name`; null for one that is not offered whatever its files are. */
    sourceRepository: text(),
    sourcePath: text().notNull(),
    sourceRef: text(),
    sourceSha: text(),
    /** What the entry of the marketplace says of its parts. */
    entryParts: text({ mode: "json" }).$type<EntryParts>(),
    /** The commit that its files are from; null before the first reading. */
    readCommit: text(),
    components: text({ mode: "json" }).$type<PluginComponents>(),
    callables: text({ mode: "json" }).$type<PluginCallable[]>(),
    hash: text(),
    /** The R2 key of its files; null for one that is not offered. */
    bodyKey: text(),
    /** Why it is not offered; null for one that is, and for one that was not read yet. */
    refusal: text(),
    /**
     * When its files are to be read again; null for never, because they are those of one commit.
     */
    dueAt: integer(),
    leasedUntil: integer().notNull().default(0),
  },
  (plugin) => [
    index("plugins_by_marketplace").on(plugin.marketplaceKey, plugin.place),
    index("plugins_by_due").on(plugin.dueAt),
    index("plugins_by_body").on(plugin.bodyKey),
  ],
);

/** The plugins that people have on, with what went wrong last when a sandbox got one. */
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
