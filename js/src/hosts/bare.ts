/** Adds what our modules use and the JavaScript engine in the kernel, which is no browser, lacks.
 * Imported before them. */

/** A whole number with commas between thousands, as the "en" locale writes it. */
const grouped = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ',');

const host = globalThis as Record<string, unknown>;

if (!('Intl' in host)) {
  host.Intl = {
    NumberFormat: class {
      format = grouped;
    },
  };
  Number.prototype.toLocaleString = function () {
    return grouped(Number(this));
  };
}
