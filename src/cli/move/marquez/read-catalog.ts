import { type CatalogAnswer, readList, textOf } from '../../catalog-client.ts';
import type { SourceClient } from '../source-client.ts';

/** Reads what Marquez lists: its namespaces, and their datasets, jobs and runs. */

export type MarquezReader = {
  namespaces(): AsyncGenerator<CatalogAnswer>;
  tags(): AsyncGenerator<CatalogAnswer>;
  datasets(namespace: string): AsyncGenerator<CatalogAnswer>;
  jobs(namespace: string): AsyncGenerator<CatalogAnswer>;
  runs(namespace: string, job: string): AsyncGenerator<CatalogAnswer>;
  /** The newest version of a job, which knows inputs and outputs that the job itself may not tell. */
  newestVersion(namespace: string, job: string): Promise<CatalogAnswer>;
};

export const openMarquez = (source: SourceClient, pageSize: number): MarquezReader => {
  async function* readAll(path: string, member: string): AsyncGenerator<CatalogAnswer> {
    for (let offset = 0; ; offset += pageSize) {
      const page = readList((await source.read(path, { limit: pageSize, offset }))[member]);
      yield* page;
      if (page.length < pageSize) return;
    }
  }
  const below = (namespace: string) => `namespaces/${encodeURIComponent(namespace)}`;
  const jobPath = (namespace: string, job: string) => `${below(namespace)}/jobs/${encodeURIComponent(job)}`;
  return {
    namespaces: () => readAll('namespaces', 'namespaces'),
    tags: () => readAll('tags', 'tags'),
    datasets: (namespace) => readAll(`${below(namespace)}/datasets`, 'datasets'),
    jobs: (namespace) => readAll(`${below(namespace)}/jobs`, 'jobs'),
    runs: (namespace, job) => readAll(`${jobPath(namespace, job)}/runs`, 'runs'),
    newestVersion: async (namespace, job) => {
      const answer = await source.find(`${jobPath(namespace, job)}/versions`, { limit: 1, offset: 0 });
      return readList(answer?.['versions'])[0] ?? {};
    },
  };
};

/** Whether Marquez shows a namespace to nobody any more. */
export const isHiddenNamespace = (namespace: CatalogAnswer): boolean => namespace['isHidden'] === true;

export const nameOfNamespace = ({ name }: CatalogAnswer): string => textOf(name);
