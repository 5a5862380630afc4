import { clearing } from '../retention/clearing.ts';
import { deleteSpent } from './queries.ts';

/** Clears away results that contracts forgot when they were hidden. */
export const clearForgotten = clearing(deleteSpent);
