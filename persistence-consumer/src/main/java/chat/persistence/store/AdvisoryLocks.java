package chat.persistence.store;

/** Keys of PostgreSQL's advisory locks, shared by all consumers. Any number that no other program uses will do. */
public final class AdvisoryLocks {
    /** Held while months are created or removed. */
    static final long MONTHS = 0x636f_6e66_6162_0001L;

    /** Shared by each transaction that uses numbers of rooms; exclusive for one that deletes rooms. */
    static final long NUMBERS = 0x636f_6e66_6162_0002L;

    /** Held while totals are written. */
    public static final long FOLD = 0x436F_6E66_6162_0001L;

    private AdvisoryLocks() {}
}
