module Machine (Instr(..), Program, Machine(..), assemble, run) where

data Instr
  = Load Int
  | MulX
  | AddC Int
  | Reduce Int
  | Emit
  | NextX
  | JumpIfMore Int
  | Halt
  deriving (Eq, Show)

type Program = [Instr]

data Machine = Machine
  { pc    :: !Int
  , acc   :: !Int
  , regX  :: !Int
  , limit :: !Int
  , total :: !Int
  } deriving Show

assemble :: [Instr] -> Program
assemble = id

fetch :: Program -> Int -> Instr
fetch prog i = prog !! i

step :: Program -> Machine -> Maybe Machine
step prog m = case fetch prog (pc m) of
  Load c   -> Just next { acc = c }
  MulX     -> Just next { acc = acc m * regX m }
  AddC c   -> Just next { acc = acc m + c }
  Reduce k -> Just next { acc = acc m `rem` k }
  Emit     -> Just next { total = (total m + acc m) `rem` 1000000007 }
  NextX    -> Just next { regX = regX m + 1 }
  JumpIfMore t
    | regX m <= limit m -> Just m { pc = t }
    | otherwise         -> Just next
  Halt     -> Nothing
  where next = m { pc = pc m + 1 }

run :: Program -> Int -> Machine
run prog n = go (Machine 0 0 1 n 0)
  where go m = maybe m go (step prog m)
