export const PROVIDERS = ['system', 'user', 'automation'] as const;
