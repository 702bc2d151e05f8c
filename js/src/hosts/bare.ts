/** What our modules ask of a page and a bare JavaScript engine lacks. Imported before them. */

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
