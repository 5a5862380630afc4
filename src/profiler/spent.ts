import { clearing } from '../retention/clearing.ts';
import { deleteSpent } from './queries.ts';

/** Clears away what was measured of columns that are gone and was too much to go with them. */
export const clearSpent = clearing(deleteSpent);
