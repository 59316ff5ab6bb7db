import type { Interaction, InteractionId, InteractionUser } from './interaction.ts';

/** Interactions before they are decided; each call is one statement. */
export interface OpenInteractionRepository {
  insert(interaction: Interaction): Promise<void>;
  find(id: InteractionId): Promise<Interaction | undefined>;
  /**
   * Binds an interaction to a user and a session, if it has none yet or the same ones.
   * @returns whether it is bound to them now
   */
  bind(id: InteractionId, user: InteractionUser): Promise<boolean>;
  /** Counts a visit to the login, after which the same user may come back in another session. */
  countLogin(id: InteractionId): Promise<void>;
}

/** In one change of access. */
export interface InteractionRepository {
  /**
   * Records that the user answered.
   * @returns false if it was answered before, has expired, or is bound to another user or session
   */
  decide(id: InteractionId, user: InteractionUser, now: Date): Promise<boolean>;
}
