// The history of a long session as SQL on its object's tables. Running those turns would take most
// of an hour.

/**
 * Returns the statements that give a chat a history: for each turn, a question and an answer of one
 * paragraph.
 */
export function createHistorySql(messages: number): string[] {
  const answer =
    "'Line ' || seq || ' has three departures this hour; the second one is four minutes late, the others are on time.'";
  return [
    ...createTurnsSql(
      Math.ceil(messages / 2),
      "'Please look at the departures of line ' || n || ' and tell me what is late.'",
    ),
    `INSERT INTO blocks (turn_id, place, message_seq, block)
     SELECT turn_id, 0, seq, json_object('type', 'text', 'content', ${answer})
     FROM messages WHERE role = 'assistant' AND turn_id GLOB '00000000-*'`,
  ];
}

/** Returns the statements that give a chat turns whose answers are so many tool calls each. */
export function createWorkSql(turns: number, calls: number): string[] {
  const command = "'cat line-' || m.seq || '-' || c";
  const output = "'Departure ' || c || ' of line ' || m.seq || ' is on time.'";
  return [
    ...createTurnsSql(turns, "'Check line ' || n"),
    `INSERT INTO blocks (turn_id, place, message_seq, block)
     WITH RECURSIVE calls(c) AS (SELECT 0 UNION ALL SELECT c + 1 FROM calls WHERE c < ${calls - 1})
     SELECT m.turn_id, c, m.seq, json_object('type', 'tool', 'name', 'bash', 'title', ${command},
       'input', json_object('command', ${command}), 'output', ${output}, 'fullOutputBytes', NULL,
       'status', 'completed', 'startedAt', '2023-11-14T22:13:20.100Z', 'completedAt', '2023-11-14T22:13:20.200Z')
     FROM messages m, calls WHERE m.role = 'assistant' AND m.turn_id GLOB '00000000-*'`,
  ];
}

/** Returns the statements of the turns and their messages. `question` is SQL that may use `n`. */
function createTurnsSql(turns: number, question: string): string[] {
  const numbers = `WITH RECURSIVE past(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM past WHERE n < ${turns})`;
  // The object counts its turns from 1, so these have lower numbers.
  const turnId = "printf('00000000-0000-7000-8000-%012d', n)";
  const author = `'{"kind":"member","userId":"usr_owner","name":"Olive Owner","email":"owner@example.com","imageUrl":null}'`;
  return [
    `INSERT INTO turns (id, number, status, sender, generation, created_at, started_at, completed_at)
     ${numbers} SELECT ${turnId}, n - ${turns}, 'completed', ${author}, 1, 1700000000000, 1700000000100, 1700000000900 FROM past`,
    `INSERT INTO messages (id, role, turn_id, content, delivery, author, created_at)
     ${numbers} SELECT printf('00000000-0000-7000-9000-%012d', n * 2 + answers), iif(answers, 'assistant', 'user'), ${turnId},
       iif(answers, NULL, ${question}), iif(answers, NULL, 'job'), iif(answers, NULL, ${author}), 1700000000000
     FROM past, (SELECT 0 AS answers UNION ALL SELECT 1) ORDER BY n, answers`,
  ];
}
