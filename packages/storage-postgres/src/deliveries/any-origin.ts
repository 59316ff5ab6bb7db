/**
 * A condition that is true for every delivery. The planner needs it in order to use the two indexes
 * of pending deliveries, one for each origin.
 */
export const ANY_ORIGIN = "(origin = 'event' OR origin = 'replay')";
