package chat.bench.writing;

/**
 * Describes a measurement.
 *
 * @param without part to omit, to measure its cost: {@code nothing}, {@code indexes} (all but the primary key), the
 *     name of an index, {@code wait} for the disk (synchronous_commit off), {@code wal} (unlogged tables)
 * @param rows rows that are already in the table
 */
record Case(Way way, int writers, int batch, String without, long rows) {
    boolean leavesTheTableAsItIs() {
        return without.equals("nothing") || without.equals("wait");
    }
}
