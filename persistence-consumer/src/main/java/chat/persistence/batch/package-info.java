/** Groups what the log says by size or age, isolates rows that the database refuses, and paces what is tried again. */
@NullMarked
package chat.persistence.batch;

import org.jspecify.annotations.NullMarked;
