import { openPlace } from '../support/place.ts';
import { closeServiceAt, openServiceAt, placeOfRun, type Service } from '../support/service.ts';
import type { Stand } from './stand.ts';

/**
 * Does some work with a service on a new store, which the programs of `tests/support` find as they do in a test. Rows use
 * it that change more than one service beside the measured one could bear.
 */
export const withOwnStore = async <T>({ say }: Stand, work: (service: Service) => Promise<T>): Promise<T> => {
  const place = await openPlace(undefined, say);
  for (const [name, value] of Object.entries(place.env)) if (value !== undefined) process.env[name] = value;
  try {
    const service = await openServiceAt(placeOfRun());
    try {
      return await work(service);
    } finally {
      await closeServiceAt(service);
    }
  } finally {
    await place.close();
  }
};
