import './view.css';
import './graph.css';
