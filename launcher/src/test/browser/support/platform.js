/** The address of the platform under test. */
export const baseURL = process.env.CONFAB_URL ?? 'http://127.0.0.1:8080';
