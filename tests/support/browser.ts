import { accessSync, constants } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { PATIENCE_MS } from './patience.ts';
import { manyOr } from './representatives.ts';
import type { Suite } from './suite.ts';
import { addWitness } from './witnesses.ts';

/**
 * Looks at pages of the service with Chromium: finds the browser, opens pages of a size and colour scheme, and says what
 * is wrong with what they show. Checks run in the page as texts, because the tests have no types of the DOM.
 */

/** The one without windows starts and draws in a third less time. */
const CHROMIUM_NAMES = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
];

/** Why tests of pages are skipped where there is no browser. */
const NO_CHROMIUM = 'no Chromium on the PATH; Debian has it in its packages chromium-headless-shell and chromium';

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** Finds Chromium on the PATH. */
export const findChromium = (): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .flatMap((folder) => CHROMIUM_NAMES.map((name) => join(folder, name)))
    .find(isExecutable);

/** Declares the cases of a suite that need a browser; where there is none, they are skipped aloud. */
export const inBrowser = (test: Suite, what: string, declare: (executable: string) => void): void => {
  const executable = findChromium();
  if (executable !== undefined) {
    declare(executable);
    return;
  }
  test.skipped(what, NO_CHROMIUM);
};

/** Starts a browser without a window. The sandbox of Chromium refuses the root user of containers. */
export const openBrowser = (executablePath: string): Promise<Browser> =>
  chromium.launch({ executablePath, timeout: PATIENCE_MS, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });

export type BrowserView = {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly colorScheme: 'light' | 'dark';
};

const desktop = { width: 1280, height: 800 };
const phone = { width: 390, height: 844 };

/** A desktop and a phone, light and dark. */
export const BROWSER_VIEWS: readonly BrowserView[] = [
  { name: 'desktop-light', ...desktop, colorScheme: 'light' },
  { name: 'desktop-dark', ...desktop, colorScheme: 'dark' },
  { name: 'phone-light', ...phone, colorScheme: 'light' },
  { name: 'phone-dark', ...phone, colorScheme: 'dark' },
];

/** Each size and each scheme once; all views when everything is met. */
export const SWEPT_VIEWS: readonly BrowserView[] = BROWSER_VIEWS.filter((_, at) => at % manyOr(3, 1) === 0);

export type BrowserPage = {
  readonly page: Page;
  /** Errors and warnings of the console since the last call, breaches of the security policy among them. */
  takeFaults(): readonly string[];
  close(): Promise<void>;
};

/** Pages of tests are served by this machine, or made in the browser. */
const isElsewhere = (address: string): boolean => {
  const { protocol, hostname } = new URL(address);
  return /^https?:$/.test(protocol) && !['127.0.0.1', 'localhost'].includes(hostname);
};

/** The browser tells every refused request, also where the page asks for what may be refused and says so in its own words. */
const REFUSED = /^Failed to load resource: the server responded with a status of 4\d\d /;

export const isRefusal = (fault: string): boolean => REFUSED.test(fault);

/** How much of what a page shows is told where a case fails. */
const MAX_TOLD = 2000;
const TELL_MS = 5000;

const tellPage = async (page: Page, faults: readonly string[]): Promise<readonly string[]> => {
  const text = await page.locator('body').ariaSnapshot({ timeout: TELL_MS });
  return [`the page ${page.url()} shows:`, text.slice(0, MAX_TOLD), ...faults.map((fault) => `its fault: ${fault}`)];
};

/** Opens a page in a context of its own, with nothing stored by others. Other faults that nobody has taken fail its closing. */
export const openPage = async (browser: Browser, { width, height, colorScheme }: BrowserView): Promise<BrowserPage> => {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme, reducedMotion: 'reduce' });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(message.text());
  });
  page.on('pageerror', (failure) => faults.push(failure.message));
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText;
    // A page that is left gives up what it still waits for.
    if (reason !== 'net::ERR_ABORTED') faults.push(`${request.url()}: ${reason}`);
  });
  page.on('request', (request) => {
    if (isElsewhere(request.url())) faults.push(`it asks another host: ${request.url()}`);
  });
  const withdraw = addWitness(() => {
    // The cases after this one have pages of their own.
    withdraw();
    return tellPage(page, faults);
  });
  const close = async (): Promise<void> => {
    withdraw();
    await context.close();
    const untaken = faults.filter((fault) => !isRefusal(fault));
    if (untaken.length > 0) throw new Error(`the page had faults:\n${untaken.join('\n')}`);
  };
  return { page, takeFaults: () => faults.splice(0), close };
};

/** Stores a picture of what is seen, for people who want to look, and answers its path. */
export const takeScreenshot = async (page: Page, name: string): Promise<string> => {
  const folder = join(tmpdir(), 'tributary-screenshots');
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${name}.png`);
  await page.screenshot({ path });
  return path;
};

const OVERFLOW = `(() => {
  const { clientWidth, scrollWidth } = document.documentElement;
  if (scrollWidth <= clientWidth) return [];
  const beyond = [...document.querySelectorAll('body *')].filter(
    (element) => element.getBoundingClientRect().right > clientWidth + 1,
  );
  return ['the page is ' + scrollWidth + ' px wide', ...beyond.slice(0, 5).map((element) => element.outerHTML.slice(0, 200))];
})()`;

/** What makes the page wider than the window; nothing when it can be read without scrolling sideways. */
export const findOverflow = (page: Page): Promise<readonly string[]> => page.evaluate(OVERFLOW);

const LOW_CONTRAST = `(() => {
  const numbers = (color) => (color.match(/[\\d.]+/g) ?? []).map(Number);
  const luminance = ([r, g, b]) => {
    const [red, green, blue] = [r, g, b].map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = numbers(getComputedStyle(at).backgroundColor);
      if ((color[3] ?? 1) > 0) return color;
    }
    return [255, 255, 255];
  };
  const ratio = (a, b) => {
    const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
    return (light + 0.05) / (dark + 0.05);
  };
  const hasText = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '');
  const faults = new Set();
  for (const element of document.querySelectorAll('body *')) {
    if (!element.checkVisibility() || element.disabled) continue;
    const style = getComputedStyle(element);
    const isField = element.matches('input, select, textarea');
    if (hasText(element) || isField) {
      const text = ratio(numbers(style.color), ground(element));
      if (text < 4.5) faults.add(element.tagName + '.' + element.className + ': text ' + text.toFixed(2));
    }
    if (isField) {
      const edge = ratio(numbers(style.borderTopColor), ground(element.parentElement));
      if (edge < 3) faults.add(element.tagName + '#' + element.id + ': edge ' + edge.toFixed(2));
    }
  }
  return [...faults];
})()`;

/** Texts and edges of fields that stand out too little: below 4.5 and 3 to 1, by WCAG 2.2 level AA. */
export const findLowContrast = (page: Page): Promise<readonly string[]> => page.evaluate(LOW_CONTRAST);

const FOCUSED = `(() => {
  const element = document.activeElement;
  const { outlineStyle, outlineWidth } = getComputedStyle(element);
  const { left, right, width } = element.getBoundingClientRect();
  return {
    tag: element.tagName.toLowerCase(),
    id: element.id,
    text: (element.textContent ?? '').trim().slice(0, 80),
    hasOutline: outlineStyle !== 'none' && parseFloat(outlineWidth) > 0,
    isInside: width > 0 && left >= 0 && right <= document.documentElement.clientWidth + 1,
  };
})()`;

export type FocusedElement = {
  readonly tag: string;
  readonly id: string;
  readonly text: string;
  readonly hasOutline: boolean;
  readonly isInside: boolean;
};

/** Describes what the keyboard speaks to. */
export const readFocus = (page: Page): Promise<FocusedElement> => page.evaluate(FOCUSED);
