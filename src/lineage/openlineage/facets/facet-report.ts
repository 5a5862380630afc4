import { CatalogError } from '../../../errors.ts';
import type { OpenLineageName } from '../event.ts';

/** Collects what of an event's facets was not applied, so that an answer tells it. */

/** What a facet is of. */
export const FACET_SUBJECTS = ['dataset', 'job', 'run'] as const;

export type FacetSubject = { readonly of: (typeof FACET_SUBJECTS)[number] } & Partial<OpenLineageName>;

/** A facet, or a part of one, that was not applied. */
export type UnappliedFacet = FacetSubject & { readonly facet: string; readonly reason: string };

export type FacetReport = {
  readonly add: (subject: FacetSubject, facet: string, reason: string) => void;
  readonly rows: () => readonly UnappliedFacet[];
};

/** The maximum number of facets that the answer of one event names. */
const MAX_UNAPPLIED = 100;
const MAX_REASON = 300;

export const createFacetReport = (): FacetReport => {
  const rows = new Map<string, UnappliedFacet>();
  return {
    add: (subject, facet, reason) => {
      const row = { ...subject, facet: facet.slice(0, MAX_REASON), reason: reason.slice(0, MAX_REASON) };
      if (rows.size < MAX_UNAPPLIED) rows.set(JSON.stringify(row), row);
    },
    rows: () => [...rows.values()],
  };
};

/**
 * Applies a facet and answers whether that succeeded. What the catalog refuses, because the caller may not do it or
 * because it does not fit, is told and leaves the rest of the event as it is; other failures concern the whole request.
 */
export const applyOrReport = async (
  report: FacetReport,
  subject: FacetSubject,
  facet: string,
  apply: () => Promise<void>,
): Promise<boolean> => {
  try {
    await apply();
    return true;
  } catch (failure) {
    if (!(failure instanceof CatalogError) || failure.status >= 500) throw failure;
    report.add(subject, facet, failure.code === 'forbidden' ? 'not allowed' : failure.message);
    return false;
  }
};
