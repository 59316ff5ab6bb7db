/**
 * Says of deliveries what is always so. The planner wants to hear it before it takes the two
 * indexes of what is pending, one for each origin.
 */
export const ANY_ORIGIN = "(origin = 'event' OR origin = 'replay')";
