/** How work is shared out. */
interface Lanes<Piece> {
  /** Pieces that are worked on at a time. */
  readonly width: number;
  /** Pieces of one lane are done one after another. */
  laneOf(piece: Piece): string;
  /** Asked before each piece: whether it may be begun. */
  mayBegin(): boolean;
}

/**
 * Does pieces of work, several at a time, those of one lane in their order. A piece that is not done
 * ends its lane; when no more may be begun, those under way are waited for.
 *
 * @param work resolves to whether the piece is done
 */
export async function inLanes<Piece>(
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
