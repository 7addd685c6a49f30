/** The address of the platform under test. */
export const baseURL = process.env.CONFAB_URL ?? 'http://127.0.0.1:8080';

/** Whether `./test` found that a program is missing and may not install it. */
export const isWithout = (program) => (process.env.CONFAB_WITHOUT ?? '').split(' ').includes(program);
