/** Where the time went: which resource was used up, what a delivery cost, and whether the throughput held. */
@NullMarked
package chat.load.lab.diagnosis;

import org.jspecify.annotations.NullMarked;
