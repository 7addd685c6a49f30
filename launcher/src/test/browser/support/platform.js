/** Where the platform under test listens. */
export const baseURL = process.env.CONFAB_URL ?? 'http://127.0.0.1:8080';
