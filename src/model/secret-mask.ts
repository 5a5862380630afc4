/** Replaces a secret in answers. */
export const SECRET_MASK = '*********';
