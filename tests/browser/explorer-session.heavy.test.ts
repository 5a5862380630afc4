import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext, Page, Route } from 'playwright-core';
import * as assert from 'uvu/assert';
import { SYSTEM_PRINCIPAL } from '../../src/access/service-identity.ts';
import { type RunningServer, serveApp } from '../../src/http/server.ts';
import { newProvided } from '../accounts/browser.ts';
import { type Member, newMember, PASSWORD } from '../accounts/fixture.ts';
import { BROWSER_VIEWS, type BrowserView, inBrowser, openBrowser, openPage } from '../support/browser.ts';
import { ok } from '../support/expect.ts';
import { waitUntil } from '../support/patience.ts';
import { openSecondProcessWith } from '../support/second-process.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { CONFIDENTIAL, openSignInProvider, type SignInProvider } from '../support/sign-in-provider.ts';
import { suite } from '../support/suite.ts';
import { expectReadable } from './explorer-page.ts';

/** Signs in to the explorer by password, token and provider, and shows how sessions end in it. */

const test = suite('browser: sessions of the explorer');

const SERVED = { host: '127.0.0.1', closeWithinMs: 2000 };
const [DESKTOP] = BROWSER_VIEWS;

let service: Service;
let provider: SignInProvider;
let served: RunningServer;
let browser: Browser;
/** The full name of a database, on whose pages people type. */
let database: string;
/** How far the clock of the service is ahead. */
let ahead = 0;

/** A port of this machine that nobody listens on: the provider has to know the address before the service is there. */
const findPort = async (): Promise<number> => {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, SERVED.host, resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
};

const start = async (executable: string): Promise<void> => {
  service = await openService();
  const port = await findPort();
  const publicUrl = `http://${SERVED.host}:${port}`;
  provider = await openSignInProvider(publicUrl);
  const env = {
    ...CONFIDENTIAL,
    PUBLIC_URL: publicUrl,
    AUTH_OIDC_ISSUER: provider.issuer,
    AUTH_SELF_SIGNUP: 'true',
    // Only people of this domain sign themselves up at a provider.
    AUTH_PRINCIPAL_DOMAIN: 'example.com',
  };
  const { app } = await openSecondProcessWith(service, {}, { env, clock: () => Date.now() + ahead });
  served = await serveApp(app.hono, { ...SERVED, port });
  const databaseService = uniqueName('warehouse');
  ok(await service.admin.post('/v1/services/databaseServices', { name: databaseService, serviceType: 'Mysql' }), 201);
  database = ok(
    await service.admin.post('/v1/databases', { name: uniqueName('sales'), service: databaseService }),
    201,
  ).fullyQualifiedName;
  browser = await openBrowser(executable);
};

const open = async (path = '/') => {
  if (DESKTOP === undefined) throw new Error('there is no view');
  const opened = await openPage(browser, DESKTOP);
  await opened.page.goto(`${served.address}${path}`);
  return opened;
};

const logIn = async (page: Page, email: string, password = PASSWORD): Promise<void> => {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
};

const pasteToken = async (page: Page, token: string): Promise<void> => {
  const field = page.getByLabel('Token', { exact: true });
  if (!(await field.isVisible())) await page.getByText('Use a token').click();
  await field.fill(token);
  await page.getByRole('button', { name: 'Use it' }).click();
};

const expectHome = (page: Page) => page.getByRole('heading', { name: 'Your catalog' }).waitFor();
const expectEntrance = (page: Page) => page.getByRole('heading', { name: 'Sign in' }).waitFor();

const openTab = async (context: BrowserContext, path = '/'): Promise<Page> => {
  const page = await context.newPage();
  await page.goto(`${served.address}${path}`);
  return page;
};

/** Everything that scripts of the page can read later. */
const readStored = (page: Page): Promise<string> =>
  page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])');

inBrowser(test, 'sessions in a browser', (executable) => {
  test.before(() => start(executable));
  test.beforeEach(async () => {
    await service.graph.query('MATCH (failed:FailedLogin) DELETE failed');
  });
  test.after(async () => {
    await browser?.close();
    await served?.close();
    await provider?.close();
    // Events are removed in their order, so that one from hours ahead would keep all that other files look for.
    const now = Date.now();
    await service.graph.query('MATCH (e:ChangeEvent) WHERE e.timestamp > $now SET e.timestamp = $now', { now });
  });

  test('a password leads to the page that was asked for, and a wrong one says so', async () => {
    const { email } = await newMember(service);
    const { page, close } = await open('/search?q=orders');
    await logIn(page, email, 'Wrong-pass-1');
    await page.getByRole('alert').waitFor();
    await logIn(page, email);
    await page.getByRole('search').first().waitFor();
    assert.match(page.url(), /\/search\?q=orders$/);
    assert.equal(JSON.parse(await readStored(page)), [{}, {}, ''], 'no script can read the session');
    await page.reload();
    await page.getByRole('search').first().waitFor();
    await close();
  });

  test('a token is tried before it is kept, and only for the tab', async () => {
    const { page, close } = await open();
    await pasteToken(page, 'not.a.token');
    await page.getByRole('alert').waitFor();
    await pasteToken(page, 'ключ');
    await page.getByText('No token has such characters').waitFor();
    await pasteToken(page, await service.token(SYSTEM_PRINCIPAL.name));
    await expectHome(page);
    await page.reload();
    await expectHome(page);
    const other = await openTab(page.context());
    await expectEntrance(other);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await expectEntrance(page);
    assert.equal(JSON.parse(await readStored(page)), [{}, {}, '']);
    await close();
  });

  test('forgetting a pasted token ends the tab that was duplicated with it, and no tab with another one', async () => {
    const { page, close } = await open();
    const token = await service.token(SYSTEM_PRINCIPAL.name);
    await pasteToken(page, token);
    await expectHome(page);
    const duplicated = page.waitForEvent('popup');
    await page.evaluate("window.open('/', 'duplicate').focus()");
    const duplicate = await duplicated;
    await expectHome(duplicate);
    const other = await openTab(page.context());
    await pasteToken(other, await service.token(SYSTEM_PRINCIPAL.name));
    await expectHome(other);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await expectEntrance(page);
    await expectEntrance(duplicate);
    assert.equal(JSON.parse(await readStored(duplicate)), [{}, {}, '']);
    await expectHome(other);
    await close();
  });

  test('a provider signs in and leads back to the page', async () => {
    provider.person = newProvided();
    const { page, close } = await open('/search?q=orders');
    await page.getByRole('link', { name: 'Single sign-on' }).click();
    await page.getByRole('search').first().waitFor();
    assert.match(page.url(), /\/search\?q=orders$/);
    assert.equal(JSON.parse(await readStored(page)), [{}, {}, '']);
    await close();
  });

  test('an access token that has ended is replaced unnoticed', async () => {
    const { email } = await newMember(service);
    const { page, close } = await open();
    await logIn(page, email);
    await expectHome(page);
    const renewal = page.waitForResponse(
      (response) => response.url().endsWith('/v1/users/session') && response.request().method() === 'PUT',
    );
    ahead += 2 * 3600_000;
    await page.getByLabel('Search the catalog').fill('nothing has this name');
    await page.keyboard.press('Enter');
    assert.is((await renewal).status(), 200);
    await page.waitForURL(/\/search\?q=nothing/);
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    await close();
  });

  test('signing out ends every tab of the browser, and signing in begins them again', async () => {
    const { email, name } = await newMember(service);
    const { page, close } = await open();
    await logIn(page, email);
    await expectHome(page);
    const other = await openTab(page.context());
    await expectHome(other);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await expectEntrance(page);
    await expectEntrance(other);
    assert.not.match(await other.content(), new RegExp(name), 'nothing of them is left');
    await logIn(page, email);
    await expectHome(page);
    await expectHome(other);
    await close();
  });

  test('a sign-in at the provider begins the other tabs too, and leaves one that is signed in already as it is', async () => {
    provider.person = newProvided();
    const { page, close } = await open();
    const other = await openTab(page.context());
    await expectEntrance(other);
    await page.getByRole('link', { name: 'Single sign-on' }).click();
    await expectHome(page);
    await expectHome(other);
    await other.getByLabel('Search the catalog').fill('typed here');
    const third = await openTab(page.context());
    await expectHome(third);
    await page.reload();
    await expectHome(page);
    assert.is(await other.getByRole('combobox', { name: 'Search the catalog' }).inputValue(), 'typed here');
    await close();
  });

  test('a session that was ended elsewhere ends here, without a click', async () => {
    const { email, id } = await newMember(service);
    const { page, close } = await open();
    await page.clock.install();
    await logIn(page, email);
    await expectHome(page);
    ok(await service.admin.delete(`/v1/users/${id}/sessions`));
    // Other processes hear of it within a second, and the page asks every half minute of its own clock.
    const isOver = async () => {
      await page.clock.runFor(31_000);
      return page.getByRole('heading', { name: 'Sign in' }).isVisible();
    };
    await waitUntil(isOver, 'the page asks to sign in', undefined, { pauseMs: 500 });
    await close();
  });

  test('a sign-out that the service does not hear of is said to have failed', async () => {
    const { email } = await newMember(service);
    const { page, takeFaults, close } = await open();
    await logIn(page, email);
    await expectHome(page);
    await page.route('**/v1/users/session', (route) => route.abort('connectionrefused'));
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText(/still signed in/).waitFor();
    await page.unroute('**/v1/users/session');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await expectEntrance(page);
    for (const fault of takeFaults()) assert.match(fault, /ERR_CONNECTION_REFUSED|a status of 401/);
    await close();
  });

  test('a tab shows nothing of one person to another whose session has taken its place', async () => {
    const [first, second] = [await newMember(service), await newMember(service)];
    const { page, close } = await open();
    await logIn(page, first.email);
    await page.getByText(`Signed in as ${first.name}`).waitFor();
    // Signed in beside the tab, so that it does not hear of it.
    const login = { email: second.email, password: PASSWORD };
    const begun = await page.context().request.post(`${served.address}/v1/users/session`, {
      data: login,
      headers: { 'sec-fetch-site': 'same-origin' },
    });
    assert.is(begun.status(), 200);
    ahead += 2 * 3600_000;
    await page.getByRole('link', { name: 'Search', exact: true }).click();
    await page.getByRole('link', { name: 'Home', exact: true }).click();
    await page.getByText(`Signed in as ${second.name}`).waitFor();
    assert.is(await page.getByText(first.name).count(), 0);
    await close();
  });

  test('what one person typed is not shown to the next, and is there when they return', async () => {
    const [first, second] = [await newMember(service, { isAdmin: true }), await newMember(service, { isAdmin: true })];
    const name = encodeURIComponent(database);
    for (const [path, label] of [
      [`/contracts/database/${name}?view=odcs`, 'Document, in YAML or JSON'],
      [`/assets/database/${name}`, 'Description, in Markdown'],
    ] as const) {
      const { page, close } = await open(path);
      page.on('dialog', (dialog) => dialog.accept());
      const field = page.getByLabel(label);
      const edit = page.getByRole('button', { name: 'Edit description' });
      const typeAs = async ({ email }: Member, typedBefore: string, text: string) => {
        await logIn(page, email);
        await field.or(edit).waitFor();
        if (!(await field.isVisible())) await edit.click();
        assert.is(await field.inputValue(), typedBefore, path);
        await field.fill(text);
        await page.reload();
        await field.waitFor();
        assert.is(await field.inputValue(), text, path);
        await page.getByRole('button', { name: 'Sign out' }).click();
        await expectEntrance(page);
        assert.not.match(await page.content(), /typed by/);
      };
      await typeAs(first, '', 'typed by the first');
      await typeAs(second, '', 'typed by the second');
      await typeAs(first, 'typed by the first', 'typed by the first again');
      await typeAs(second, 'typed by the second', 'typed by the second again');
      await close();
    }
  });

  const interrupt = async ({ id }: Pick<Member, 'id'>) => ok(await service.admin.delete(`/v1/users/${id}/sessions`));

  const expectOver = (page: Page) => page.getByRole('heading', { name: 'Sign in to go on' }).waitFor();

  /** Opens the description of the database as a member, and types one that is not saved. */
  const typeDescription = async (member: Member, text: string) => {
    const opened = await open(`/assets/database/${encodeURIComponent(database)}`);
    const { page } = opened;
    await page.clock.install();
    await logIn(page, member.email);
    await page.getByRole('button', { name: 'Edit description' }).click();
    await page.getByLabel('Description, in Markdown').fill(text);
    return { ...opened, field: page.getByLabel('Description, in Markdown') };
  };

  /** Lets the clock of the page go until it says that its session is over. */
  const waitUntilOver = async (page: Page): Promise<void> => {
    const isOver = async () => {
      await page.clock.runFor(31_000);
      return page.getByRole('heading', { name: 'Sign in to go on' }).isVisible();
    };
    await waitUntil(isOver, 'the page asks to sign in', undefined, { pauseMs: 500 });
    await page.clock.resume();
  };

  test('whose session ends signs in over the page, goes on with what they typed, and what was asked is answered', async () => {
    const member = await newMember(service, { isAdmin: true });
    const { page, field, takeFaults, close } = await typeDescription(member, 'kept through the end');
    await interrupt(member);
    await waitUntilOver(page);
    assert.is(await field.inputValue(), 'kept through the end');
    assert.is(await page.getByLabel('E-mail').inputValue(), member.email, 'nobody types what is known');
    await page.keyboard.press('Escape');
    await expectOver(page);
    await logIn(page, member.email, 'Wrong-pass-1');
    await page.getByRole('alert').waitFor();
    await logIn(page, member.email);
    await page.getByRole('heading', { name: 'Sign in to go on' }).waitFor({ state: 'hidden' });
    assert.is(await field.inputValue(), 'kept through the end');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.locator('.rich-text', { hasText: 'kept through the end' }).waitFor();
    for (const fault of takeFaults()) assert.match(fault, /a status of 401/);
    await close();
  });

  test('a request that was refused is sent again after the new sign-in, also with a pasted token', async () => {
    const tokenUntil = (ms: number) =>
      service.token(SYSTEM_PRINCIPAL.name, { ttlSeconds: Math.round((ahead + ms) / 1000) });
    const { page, close } = await open();
    await page.clock.install();
    await pasteToken(page, await tokenUntil(600_000));
    await expectHome(page);
    await page.getByLabel('Search the catalog').fill(database);
    await page.getByRole('option').filter({ hasText: database }).first().waitFor();
    ahead += 2 * 3600_000;
    await page.keyboard.press('Enter');
    await expectOver(page);
    assert.equal(JSON.parse(await readStored(page)), [{}, {}, ''], 'a token that has ended is not kept');
    const other = await openTab(page.context());
    await logIn(other, (await newMember(service)).email);
    await expectHome(other);
    await page.clock.runFor(65_000);
    await page.clock.resume();
    await expectOver(page);
    assert.match(page.url(), /\/search\?q=/, 'a session of somebody else does not take the page');
    await pasteToken(page, await tokenUntil(600_000));
    await page.locator('.hit-name', { hasText: database.split('.').at(-1) ?? '' }).waitFor();
    assert.match(page.url(), /\/search\?q=/);
    await close();
  });

  test('a sign-in at the provider in another tab lets an interrupted page go on', async () => {
    provider.person = newProvided();
    const { page, close } = await open();
    await page.clock.install();
    await page.getByRole('link', { name: 'Single sign-on' }).click();
    await expectHome(page);
    const { id } = (await page.evaluate(`fetch('/v1/users/session', { method: 'PUT' }).then((answer) => answer.json())
      .then(({ accessToken }) => fetch('/v1/users/loggedInUser', { headers: { authorization: 'Bearer ' + accessToken } }))
      .then((answer) => answer.json())`)) as { readonly id: string };
    await page.getByLabel('Search the catalog').fill('typed here');
    await interrupt({ id });
    await waitUntilOver(page);
    const opened = page.waitForEvent('popup');
    await page.getByRole('link', { name: 'Single sign-on, in another tab' }).click();
    await expectHome(await opened);
    await page.getByRole('heading', { name: 'Sign in to go on' }).waitFor({ state: 'hidden' });
    assert.is(await page.getByRole('combobox', { name: 'Search the catalog' }).inputValue(), 'typed here');
    await close();
  });

  const expectSignInReadable = async (view: BrowserView, over: 'page' | 'list'): Promise<void> => {
    const opened = await openPage(browser, view);
    const { page } = opened;
    const member = await newMember(service);
    await page.clock.install();
    await page.goto(`${served.address}/assets/database/${encodeURIComponent(database)}`);
    await logIn(page, member.email);
    await page.getByRole('heading', { name: database.split('.').at(-1) ?? '' }).waitFor();
    if (over === 'list') {
      await page.getByLabel('Search the catalog').fill(database);
      await page.getByRole('option').first().waitFor();
    }
    await interrupt(member);
    await waitUntilOver(page);
    opened.takeFaults();
    await expectReadable(opened, view, `sign-in-over-${over}`);
    await opened.close();
  };

  for (const over of ['page', 'list'] as const) {
    test(`the sign-in over ${over === 'page' ? 'a page' : 'an open list'} can be read in every view`, async () => {
      for (const view of BROWSER_VIEWS) await expectSignInReadable(view, over);
    });
  }

  test('nothing of an interrupted page is left for somebody else, or for whoever leaves it', async () => {
    const [first, second] = [await newMember(service, { isAdmin: true }), await newMember(service, { isAdmin: true })];
    const { page, field, close } = await typeDescription(first, 'typed by the first');
    await interrupt(first);
    await waitUntilOver(page);
    await logIn(page, second.email);
    await page.getByRole('link', { name: `Signed in as ${second.name}` }).waitFor();
    assert.is(await page.getByText('typed by the first').count(), 0);
    assert.is(await field.count(), 0);
    assert.not.match(await page.content(), new RegExp(first.name));
    await interrupt(second);
    await waitUntilOver(page);
    await page.getByRole('button', { name: 'Leave the page instead' }).click();
    await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
    assert.not.match(await page.content(), new RegExp(second.name));
    await close();
  });

  test('a refusal of a proxy ends no session', async () => {
    const { email } = await newMember(service);
    const { page, close } = await open();
    await logIn(page, email);
    await expectHome(page);
    for (const answer of [{ status: 429 }, { status: 413 }, { status: 200, contentType: 'text/html', body: '<h1>' }]) {
      await page.route('**/v1/users/session', (route) => route.fulfill(answer));
      await page.reload();
      await page.getByText(/does not answer/).waitFor();
      await page.unroute('**/v1/users/session');
      await page.getByRole('button', { name: 'Try again' }).click();
      await expectHome(page);
      await page.route('**/v1/users/session', (route) => route.fulfill(answer));
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByText(/still signed in/).waitFor();
      await page.unroute('**/v1/users/session');
    }
    await close();
  });

  test('a page whose file is gone after an installation loads itself anew, once', async () => {
    const { email } = await newMember(service);
    const { page, takeFaults, close } = await open();
    await logIn(page, email);
    await expectHome(page);
    let loads = 0;
    page.on('load', () => {
      loads += 1;
    });
    // The first page asks for files that are gone, as its new version does not.
    const refuse = (isGone: () => boolean) => (route: Route) =>
      isGone() ? route.fulfill({ status: 404, body: '' }) : route.continue();
    await page.route(
      '**/assets/people-*',
      refuse(() => loads === 0),
    );
    await page.getByRole('link', { name: 'People', exact: true }).click();
    await page.getByRole('heading', { name: 'People and teams' }).waitFor();
    assert.is(loads, 1);
    await page.route(
      '**/assets/health-*',
      refuse(() => true),
    );
    await page.getByRole('link', { name: 'Health', exact: true }).click();
    await page.getByText('A file of it could not be loaded').waitFor();
    assert.is(loads, 1, 'the visitor decides after that');
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Catalog health' }).waitFor();
    for (const fault of takeFaults()) assert.match(fault, /Unable to preload CSS|a status of 40[14]/);
    await close();
  });

  test('a service that does not answer ends no session', async () => {
    const { email } = await newMember(service);
    const { page, takeFaults, close } = await open();
    await logIn(page, email);
    await expectHome(page);
    await page.route('**/v1/**', (route) => route.abort('connectionrefused'));
    await page.reload();
    await page.getByText(/does not answer/).waitFor();
    await page.unroute('**/v1/**');
    await page.getByRole('button', { name: 'Try again' }).click();
    await expectHome(page);
    for (const fault of takeFaults()) assert.match(fault, /ERR_CONNECTION_REFUSED|a status of 401/);
    await close();
  });
});

test.run();
