/**
 * Notifies of changes of access. Correctness does not depend on it: a process that is notified
 * queries the database, and a process that misses the notification queries within the lease anyway.
 */
export interface AccessChangeNotifier {
  /**
   * Calls `onChange` after changes of access, in any process. @returns a function that stops
   * listening
   */
  listen(onChange: () => void): () => Promise<void>;
}
