import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isWithout } from './platform.js';

/**
 * The database of the platform under test, for what no client can bring about: messages of past weeks, and letters that
 * are dead. CONFAB_DIR is the directory that `./run` was given, CONFAB_ROWS how many messages there shall be.
 */
const directory = process.env.CONFAB_DIR;
const rows = Number(process.env.CONFAB_ROWS ?? 20_000);

/** Of the messages that are made: everything before is a matter of tests alone. */
export const ARCHIVE_ROWS = rows;

/** Returns why the tests that need the database are skipped; null if they run. Any other obstacle is a failure. */
export function archiveSkipped() {
  if (!directory) return 'CONFAB_DIR does not name the directory of the platform';
  if (isWithout('postgresql')) return 'psql is not installed';
  return null;
}

function passwordFile() {
  return join(directory, 'one-process', 'postgres', 'password');
}

/** Runs SQL; the rows, each a line, columns with | between. */
export function sql(text) {
  const port = readFileSync(join(directory, 'one-process', 'postgres', 'data', 'postmaster.pid'), 'utf8').split('\n')[3];
  return execFileSync(
    'psql',
    ['--host=127.0.0.1', `--port=${port}`, '--username=confab', '--dbname=confab', '--no-psqlrc', '--quiet', '--tuples-only', '--no-align', '--set=ON_ERROR_STOP=1'],
    { input: text, encoding: 'utf8', env: { ...process.env, PGPASSWORD: readFileSync(passwordFile(), 'utf8').trim() } },
  ).trim();
}

const CHUNK = 100_000;
const ROOMS = ['lobby', 'support', 'garden', 'releases', 'music', 'lunch', 'books', 'cycling', 'photos', 'weather', 'football', 'help'];
const NAMES = ['lena', 'maya', 'jonas', 'noor', 'emil', 'ines', 'theo', 'yuki', 'omar', 'clara'];
const TEXTS = [
  'Good morning, everybody',
  'Who is in for lunch?',
  'The build is green again',
  'I have seen that one, too. It goes away after a restart.',
  'Thank you, that helped!',
  'See you tomorrow',
  'Could somebody look at the last picture?',
  'It rains, and I have the wrong shoes',
];

/**
 * Messages of the last four weeks, in twelve rooms, of five thousand users, a few of whom write most; in a rhythm of days
 * and weeks. They are counted as those are that a writer stores. Does nothing where they are there already.
 */
export async function fillArchive() {
  const list = (words) => `ARRAY[${words.map((word) => `'${word}'`).join(',')}]`;
  const there = Number(sql("SELECT count(*) FROM messages WHERE server_id = 'archive'"));
  if (there >= rows) return;
  sql(`
    INSERT INTO rooms (room_id) SELECT unnest(${list(ROOMS)}) ON CONFLICT DO NOTHING;
    INSERT INTO users (user_id) SELECT n::text FROM generate_series(1, 5000) n ON CONFLICT DO NOTHING;`);
  for (let from = there; from < rows; from += CHUNK) {
    sql(`
      WITH picked AS (
        SELECT n,
               date_trunc('day', now()) - (1 + (random() * 27)::int) * interval '1 day'
                 + ((6 + 16 * (random() + random() + random()) / 3) * 3600000)::bigint * interval '1 ms' AS at,
               exp(random() * ln(5000))::int AS person,
               (${list(ROOMS)})[1 + (random() ^ 2 * ${ROOMS.length - 1})::int] AS name,
               random() AS chance
        FROM generate_series(${from + 1}, ${Math.min(from + CHUNK, rows)}) AS n),
      made AS (
        SELECT n, CASE WHEN extract(isodow FROM at) > 5 AND chance < 0.6 THEN at - interval '3 days' ELSE at END AS at,
               users.usr, person, rooms.room
        FROM picked JOIN rooms ON room_id = name JOIN users ON user_id = person::text),
      stored AS (
        INSERT INTO messages (message_id, position, timestamp, created_at, room, usr, username, message_type, content, server_id)
        SELECT uuidv7(at - clock_timestamp()), n * 16, at, at, room, usr,
               (${list(NAMES)})[1 + person % ${NAMES.length}] || person, 'TEXT', (${list(TEXTS)})[1 + n % ${TEXTS.length}], 'archive'
        FROM made
        RETURNING timestamp, room, usr, position)
      INSERT INTO rollup_pending (messages, events)
      SELECT count(*), '\\x00'::bytea || string_agg(
        int8send((extract(epoch FROM timestamp) * 1000)::bigint) || int4send(room) || int4send(usr), ''::bytea ORDER BY position)
      FROM stored GROUP BY position / 16 / 5000;`);
  }
  // Counted within seconds; the views follow at their next refresh.
  const deadline = Date.now() + 300_000;
  while (sql('SELECT count(*) FROM rollup_pending') !== '0') {
    if (Date.now() > deadline) throw new Error('the archive is not counted');
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

/** From when to when there are archived messages only: nothing of it changes any more. */
export function archivedTime(days = 7) {
  const to = Math.floor(Date.now() / 86_400_000) * 86_400_000 - 86_400_000;
  return { from: new Date(to - days * 86_400_000).toISOString(), to: new Date(to).toISOString() };
}

/** A message that the consumer could not store at first, and could now; the letter's number. */
export function deadLetter(room, text, reason = 'messages_content_check') {
  const id = crypto.randomUUID();
  const json = JSON.stringify({ messageType: 'TEXT', messageId: id, userId: '42', username: 'alice42', message: text, timestamp: Date.now() });
  return sql(`
    INSERT INTO dead_letter (message_id, partition, position, room_id, reason, bytes)
    VALUES ('${id}', 0, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint * 2048, '${room}', '${reason}',
            convert_to('${json.replaceAll("'", "''")}', 'UTF8'))
    RETURNING id;`);
}
