/** The part of a kernel that answers requests of tools, for tests that send none. */
export const NO_REQUESTS = {
  request: () => Promise.reject(new Error('No request is answered here.')),
};
