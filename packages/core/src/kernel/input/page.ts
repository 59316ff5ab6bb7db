/** What a list route takes: ids sort newest first. */
export interface PageRequest {
  /** 1-100. */
  readonly limit: number;
  /** Return what follows this id. */
  readonly startingAfter?: string;
  /** Return what precedes this id. */
  readonly endingBefore?: string;
}

export interface Page<Item> {
  /** Newest first, also when paging backwards. */
  readonly data: readonly Item[];
  readonly hasMore: boolean;
}

/** Bounds on `created`; each is optional. */
export interface CreatedFilter {
  readonly gt?: Date;
  readonly gte?: Date;
  readonly lt?: Date;
  readonly lte?: Date;
}
