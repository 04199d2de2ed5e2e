//! Where games are played.
//!
//! From the ground up: a [`Player`] chooses moves, in process or as a UCI engine over pipes; [`game`] plays one game
//! of two players by the engine's rules and clocks kept here; [`pair`] plays the two games of an opening with colours
//! swapped; a [`crew`] of workers plays pairs, and [`in_order`] hands their results on by number, so that what is done with
//! them does not depend on who was fastest.

pub mod adjudication;
pub mod clock;
pub mod contestant;
pub mod crew;
pub mod end;
pub mod game;
pub mod in_order;
pub mod in_process;
pub mod limit;
pub mod pair;
pub mod player;
pub mod stop;
pub mod uci;

pub use contestant::Contestant;
pub use player::Player;
pub use stop::Stop;
