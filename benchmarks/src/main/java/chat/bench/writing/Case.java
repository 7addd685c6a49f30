package chat.bench.writing;

/**
 * What is measured.
 *
 * @param without what is left out to see what it costs: {@code nothing}, {@code indexes} (all but the key), the name of
 *     an index, {@code wait} for the disk (synchronous_commit off), {@code wal} (unlogged tables)
 * @param rows that stand in the table already
 */
record Case(Way way, int writers, int batch, String without, long rows) {
    boolean leavesTheTableAsItIs() {
        return without.equals("nothing") || without.equals("wait");
    }
}
