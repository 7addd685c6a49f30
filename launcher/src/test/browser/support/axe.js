import AxeBuilder from '@axe-core/playwright';

/** Options of browser contexts by name. */
export const FORMS = {
  'a desktop, light': { viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
  'a desktop, dark': { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
  'a phone, light': { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, colorScheme: 'light' },
  'a phone, dark': { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, colorScheme: 'dark' },
};

/** Returns the violations that axe rates as serious or worse. */
export async function barriers(page) {
  // Of what is well it need not tell each place: with a thousand of them that takes as long as to look.
  const { violations } = await new AxeBuilder({ page }).options({ resultTypes: ['violations'] }).analyze();
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ target, failureSummary }) => `${target} ${failureSummary}`).join('; ')}`);
}
