/** The parameters of a list: ids sort newest first. */
export interface PageRequest {
  /** 1-100. */
  readonly limit: number;
  /** Return objects after this id. */
  readonly startingAfter?: string;
  /** Return objects before this id. */
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
