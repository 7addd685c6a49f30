package chat.launcher;

/** Provides the SQL of the backup drill. It does not name the columns of Confab's tables, so they may change. */
final class BackupDrillSql {
    private BackupDrillSql() {}

    /**
     * Returns a statement that returns another statement. That one stores this number of messages and advances the
     * position of partition 0 by it in the same transaction, as the consumer does. It returns the position and the time
     * in milliseconds. Values are chosen by type.
     */
    static String storing(int rows) {
        return STORING.replace(":rows", Integer.toString(rows));
    }

    private static final String STORING = """
        SELECT format(
            'WITH moved AS (UPDATE log_position SET position = position + %1$s, updated_at = now() WHERE partition = 0 RETURNING position), '
            'stored AS (INSERT INTO messages (%2$s) SELECT %3$s FROM moved, generate_series(0, %1$s - 1) AS i) '
            'SELECT position || '' '' || (extract(epoch FROM clock_timestamp()) * 1000)::bigint FROM moved',
            :rows, string_agg(quote_ident(attname), ', ' ORDER BY attnum), string_agg(value, ', ' ORDER BY attnum))
        FROM (
            SELECT attname, attnum, CASE
                WHEN attname = 'position' THEN 'moved.position - i'
                WHEN attname = 'message_type' THEN '''TEXT'''
                -- UUIDv7: consecutive rows are adjacent in the primary key's index.
                WHEN atttypid = 'uuid'::regtype THEN '(lpad(to_hex((extract(epoch FROM clock_timestamp()) * 1000)::bigint), 12, ''0'')'
                    ' || ''7'' || substr(md5(random()::text), 1, 3) || ''8'' || substr(md5(random()::text), 1, 15))::uuid'
                WHEN atttypid = 'timestamptz'::regtype THEN 'clock_timestamp()'
                WHEN atttypid IN ('integer'::regtype, 'bigint'::regtype) THEN '1 + (random() * 999)::integer'
                WHEN atttypid = 'text'::regtype AND attname = 'content' THEN 'repeat(md5(random()::text), 3)'
                WHEN atttypid = 'text'::regtype THEN '''drill-'' || (random() * 999)::integer'
                WHEN atttypid = 'inet'::regtype THEN '''127.0.0.1'''
                ELSE 'NULL' END AS value
            FROM pg_attribute
            WHERE attrelid = 'messages'::regclass AND attnum > 0 AND NOT attisdropped AND attidentity = '' AND attgenerated = ''
        ) AS columns;
        """;

    /**
     * Commands of {@code psql} that print for each table the number of rows and the sum of their hashes, which does
     * not depend on the order. Sequences are not compared: PostgreSQL logs them 32 numbers ahead.
     */
    static final String CONTENTS = """
        SELECT format('SELECT %L, count(*), coalesce(sum(hashtextextended(t::text, 0)::numeric), 0) FROM ONLY %s AS t', oid::regclass, oid::regclass)
        FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'm') ORDER BY oid::regclass::text
        \\gexec
        """;

    /** A query for the names of all tables, separated by commas. */
    static final String TABLES = """
        SELECT string_agg(oid::regclass::text, ', ' ORDER BY oid::regclass::text) FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
        """;

    /**
     * Returns commands of {@code psql} that record a point in time: first the contents, then after an empty line the
     * time, the position and the WAL segment. No transaction commits while all tables are locked against writing, so
     * the point is between two transactions.
     *
     * @param tables the result of {@link #TABLES}
     */
    static String recording(String tables) {
        return "BEGIN;\nLOCK TABLE " + tables + " IN SHARE MODE;\n\\o /dev/null\nSELECT pg_sleep(0.01);\n\\o\n"
                + CONTENTS
                + """
                \\qecho
                SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') || '+00';
                SELECT position FROM log_position WHERE partition = 0;
                SELECT pg_walfile_name(pg_current_wal_insert_lsn());
                \\o /dev/null
                SELECT pg_sleep(0.05);
                COMMIT;
                """;
    }
}
