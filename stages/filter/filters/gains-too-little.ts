import { below, type Filter } from "./filter.ts";

/** The memory tells too little of what later steps need for its length. CAT 2.4 (5): calls with minimal information gain. */
export const gainsTooLittle: Filter = {
  scope: "block",
  blames: "call",
  limit: "minInformationGain",
  fails: ({ informationGain }, { minInformationGain }) => below(informationGain, minInformationGain),
};
