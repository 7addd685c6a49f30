import AxeBuilder from '@axe-core/playwright';

/** What a page is looked at with, as options of a browser context by name. */
export const FORMS = {
  'a desktop, light': { viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
  'a desktop, dark': { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
  'a phone, light': { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, colorScheme: 'light' },
  'a phone, dark': { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, colorScheme: 'dark' },
};

/** What axe finds that keeps somebody out of the page: what is serious or worse. */
export async function barriers(page) {
  // Of what is well it need not tell each place: with a thousand of them that takes as long as to look.
  const { violations } = await new AxeBuilder({ page }).options({ resultTypes: ['violations'] }).analyze();
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ target, failureSummary }) => `${target} ${failureSummary}`).join('; ')}`);
}
