/** How work is distributed. */
interface Lanes<Piece> {
  /** Pieces that are processed concurrently. */
  readonly width: number;
  /** Pieces of one lane are processed one after another. */
  laneOf(piece: Piece): string;
  /** Called before each piece: whether it may begin. */
  mayBegin(): boolean;
}

/**
 * Processes pieces of work concurrently, and the pieces of one lane in order. If a piece fails, the rest of
 * its lane is skipped. Resolves when all started pieces have ended.
 *
 * @param work resolves to whether the piece succeeded
 */
export async function processInLanes<Piece>(
  pieces: readonly Piece[],
  { width, laneOf, mayBegin }: Lanes<Piece>,
  work: (piece: Piece) => Promise<boolean>,
): Promise<void> {
  const lanes = [...Map.groupBy(pieces, laneOf).values()];
  const follow = async () => {
    for (let lane = lanes.shift(); lane; lane = lanes.shift()) {
      for (const piece of lane) {
        if (!mayBegin()) return;
        if (!(await work(piece))) break;
      }
    }
  };
  await Promise.all(Array.from({ length: width }, follow));
}
