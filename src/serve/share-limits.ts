import type { Config } from '../config.ts';

/** Gives a worker its share of the limits that hold for the whole service. 0 still means no limit. */
export const shareLimits = (config: Config): Config => {
  const share = (limit: number): number => Math.ceil(limit / config.workers);
  const { limits } = config;
  return {
    ...config,
    limits: {
      ...limits,
      bodiesBytes: Math.max(limits.bodyBytes, share(limits.bodiesBytes)),
      concurrentRequests: share(limits.concurrentRequests),
      connectionsPerAddress: share(limits.connectionsPerAddress),
    },
  };
};
