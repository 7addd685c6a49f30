package chat.load.lab.matrix;

/** Groups failed checks of the load client as tables show them. */
enum Promise {
    LOST("lost"),
    DOUBLED("doubled"),
    ORDER("order"),
    OTHER("other");

    final String label;

    Promise(String label) {
        this.label = label;
    }

    /** @param check its name in {@code summary.json} */
    static Promise of(String check) {
        return switch (check) {
            case "accepted is stored", "every member received every TEXT" -> LOST;
            case "rows are unique", "nobody received a TEXT twice" -> DOUBLED;
            case "rows ascend by position",
                    "all members of a room saw one order",
                    "that order is the stored one",
                    "each sender's own order was kept" -> ORDER;
            default -> OTHER;
        };
    }
}
