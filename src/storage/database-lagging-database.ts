// The database as a sweep reads it that only wakes objects: a replica may answer, some seconds behind the primary.

/**
 * Reads from the nearest replica where there are any, else from the primary; what is written goes to the primary. Within one run, no read is older
 * than one before it. Only for a sweep whose findings are judged anew by whoever has the newest state: a row that comes late is found a minute later.
 */
export function laggingDatabase(database: D1Database): D1Database {
  const session = database.withSession("first-unconstrained");
  return {
    prepare: (statement) => session.prepare(statement),
    batch: (statements) => session.batch(statements),
    exec: (statements) => database.exec(statements),
    withSession: (constraint) => database.withSession(constraint),
    dump: () => database.dump(),
  };
}
