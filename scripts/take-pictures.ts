/**
 * Takes the pictures of the README: the lineage view of the sample company, light and dark. Needs a service that has loaded
 * it, and Chromium: `npm run pictures -- <address> <token>`.
 */
import { join } from 'node:path';
import { findChromium, openBrowser, openPage } from '../tests/support/browser.ts';

const [service, token] = process.argv.slice(2);
if (service === undefined || token === undefined) throw new Error('give the address of the service and a token');
const executable = findChromium();
if (executable === undefined) throw new Error('Chromium is not on the PATH');

const FACTS = 'warehouse_snowflake.ANALYTICS.CORE.FCT_SALES';
const PAGE = `/lineage/table/${FACTS}?column=${FACTS}.NET_EUR`;

const browser = await openBrowser(executable);
for (const colorScheme of ['light', 'dark'] as const) {
  const { page, close } = await openPage(browser, { name: colorScheme, width: 1280, height: 720, colorScheme });
  await page.goto(service);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.evaluate(`sessionStorage.setItem('tributary.token', ${JSON.stringify(token)})`);
  await page.goto(`${service}${PAGE}`);
  await page.getByRole('button', { name: 'NET_EUR', pressed: true }).first().waitFor();
  await page.waitForLoadState('networkidle');
  await page.screenshot({ path: join(import.meta.dirname, `../docs/lineage-${colorScheme}.png`) });
  await close();
}
await browser.close();
