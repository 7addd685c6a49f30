package chat.server.memory;

/** How much free memory a JVM keeps. */
interface FreeHeap {
    /** Whether that can be changed while it runs, and nobody has decided it. */
    boolean isOurs();

    /** Little from now on: the rest is given back soon, without anything being allocated. */
    void giveBack();

    /** To be called once a second after {@link #giveBack}. */
    void goOn();

    /** As much as before {@link #giveBack}. */
    void keep();
}
