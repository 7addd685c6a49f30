/** Child processes: load clients, platforms and peers. All are stopped when the parent ends. */
@NullMarked
package chat.load.lab.child;

import org.jspecify.annotations.NullMarked;
