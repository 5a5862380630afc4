const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a text can be the id of anything, in capitals or not. */
export const isUuid = (text: string): boolean => UUID.test(text);
