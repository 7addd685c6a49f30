/** Provides HTTP functions for both programs: static files, methods of known paths, CORS, compression. */
@NullMarked
package chat.kit.web;

import org.jspecify.annotations.NullMarked;
