// The history of a long session as SQL on its object's tables. Running those turns would take most
// of an hour.

/**
 * Returns the statements that give a chat a history: for each turn, a question and an answer of one
 * paragraph.
 */
export function createHistorySql(messages: number): string[] {
  const turns = Math.ceil(messages / 2);
  const numbers = `WITH RECURSIVE past(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM past WHERE n < ${turns})`;
  // The object counts its turns from 1, so these have lower numbers.
  const turnId = "printf('00000000-0000-7000-8000-%012d', n)";
  const author = `'{"kind":"member","userId":"usr_owner","name":"Olive Owner","email":"owner@example.com","imageUrl":null}'`;
  const question = "'Please look at the departures of line ' || n || ' and tell me what is late.'";
  const answer =
    "'Line ' || n || ' has three departures this hour; the second one is four minutes late, the others are on time.'";
  return [
    `INSERT INTO turns (id, number, status, sender, generation, created_at, started_at, completed_at)
     ${numbers} SELECT ${turnId}, n - ${turns}, 'completed', ${author}, 1, 1700000000000, 1700000000100, 1700000000900 FROM past`,
    `INSERT INTO messages (id, role, turn_id, content, delivery, author, created_at)
     ${numbers} SELECT printf('00000000-0000-7000-9000-%012d', n * 2 + answers), iif(answers, 'assistant', 'user'), ${turnId},
       iif(answers, NULL, ${question}), iif(answers, NULL, 'job'), iif(answers, NULL, ${author}), 1700000000000
     FROM past, (SELECT 0 AS answers UNION ALL SELECT 1) ORDER BY n, answers`,
    `INSERT INTO blocks (turn_id, place, message_seq, block)
     SELECT turn_id, 0, seq, json_object('type', 'text', 'content', ${answer.replaceAll(" n ", " seq ")})
     FROM messages WHERE role = 'assistant' AND turn_id GLOB '00000000-*'`,
  ];
}
