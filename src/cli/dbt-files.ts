import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type DbtArtifacts, refuseManifest } from '../dbt/artifacts.ts';
import { StartupError } from '../errors.ts';
import type { JsonObject } from '../model/json.ts';

/** Reads the files that dbt leaves in the folder `target` of a project. */

const readArtifact = async (folder: string, name: string): Promise<JsonObject | undefined> => {
  const path = join(folder, name);
  const text = await readFile(path, 'utf8').catch((failure: NodeJS.ErrnoException) => {
    if (failure.code === 'ENOENT') return undefined;
    throw new StartupError(`${path} cannot be read: ${failure.message}`, { cause: failure });
  });
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as JsonObject;
  } catch (cause) {
    throw new StartupError(`${path} is no JSON: run dbt again`, { cause });
  }
};

/** Reads the artifacts of a project. Throws a StartupError when there is no manifest that can be read. */
export const readDbtFiles = async (folder: string): Promise<DbtArtifacts> => {
  const manifest = await readArtifact(folder, 'manifest.json');
  if (manifest === undefined) {
    throw new StartupError(
      `There is no manifest.json in ${folder}: name the folder «target» of a project that dbt built`,
    );
  }
  const refused = refuseManifest(manifest);
  if (refused !== undefined) throw new StartupError(`${join(folder, 'manifest.json')}: ${refused}`);
  const catalog = await readArtifact(folder, 'catalog.json');
  return { manifest, catalog, runResults: await readArtifact(folder, 'run_results.json') };
};
