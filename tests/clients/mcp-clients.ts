import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCompanyService } from '../support/prepared-home.ts';
import { type ServiceProcess, stopServiceProcess } from '../support/service-process.ts';

/** A service with the sample company for the published clients of the Model Context Protocol. */

export type SeededService = {
  readonly address: string;
  readonly token: string;
  /** The environment of `tributary mcp`. */
  readonly env: (token: string) => Readonly<Record<string, string>>;
  readonly stop: () => Promise<void>;
};

const close = async (service: ServiceProcess, home: string): Promise<void> => {
  await stopServiceProcess(service, 'SIGTERM');
  await rm(home, { recursive: true, force: true });
};

export const startSeededService = async (): Promise<SeededService> => {
  const home = await mkdtemp(join(tmpdir(), 'tributary-mcp-'));
  const service = await startCompanyService(home);
  const token = (await readFile(join(home, 'admin.token'), 'utf8')).trim();
  return {
    address: service.address,
    token,
    env: (given) => ({ TRIBUTARY_SERVER: service.address, TRIBUTARY_TOKEN: given }),
    stop: () => close(service, home),
  };
};
