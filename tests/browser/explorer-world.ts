import type { Browser } from 'playwright-core';
import { SYSTEM_PRINCIPAL } from '../../src/access/service-identity.ts';
import { type RunningServer, serveApp } from '../../src/http/server.ts';
import { openWorld, type World } from '../lineage/fixture.ts';
import { openBrowser } from '../support/browser.ts';

/** What tests of the explorer begin with: a catalog of their own, its service on a port, a browser and an administrator. */
export type ExplorerWorld = {
  readonly world: World;
  readonly served: RunningServer;
  readonly browser: Browser;
  /** The token of the administrator. */
  readonly token: string;
};

export const openExplorerWorld = async (executable: string): Promise<ExplorerWorld> => {
  const world = await openWorld();
  const served = await serveApp(world.service.app.hono, { host: '127.0.0.1', port: 0, closeWithinMs: 2000 });
  const token = await world.service.token(SYSTEM_PRINCIPAL.name);
  return { world, served, browser: await openBrowser(executable), token };
};
