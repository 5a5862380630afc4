import type { Exporter, Importer } from '../exchange.ts';

/** The columns of a table as rows. */
export const exportTable: Exporter = async function* () {};

/** Rows as columns of a table: those that can be applied become one change of it. */
export const importTable: Importer = async function* () {};
