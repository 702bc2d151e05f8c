const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

/** The time of day, of seconds since 1970. */
export const clockText = (seconds: number): string => clock.format(seconds * 1000);
